"""Claims that :doc:`/book/occupancy` derives."""
