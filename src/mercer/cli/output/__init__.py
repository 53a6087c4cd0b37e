"""What commands show and where they write."""
