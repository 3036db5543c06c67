"""Claims that :doc:`/book/consistency` derives."""
