"""Claims that :doc:`/book/utility` derives.

The exact side enumerates splits, private trees and all targets at the bounds, and counts errors from scratch.
"""
