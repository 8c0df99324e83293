"""What is around the tabs: the page, its bar and sidebar, its opening and address."""
