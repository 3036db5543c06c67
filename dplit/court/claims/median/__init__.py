"""Claims that :doc:`/book/median` derives."""
