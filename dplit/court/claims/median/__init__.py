"""Claims that :doc:`/book/median` derives, of laws that are written here from the definitions, in fractions."""
