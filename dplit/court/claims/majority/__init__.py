"""Claims that :doc:`/book/majority` derives. A leaf is a tuple of class counts and :math:`j` its gap."""
