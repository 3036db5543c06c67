"""Laws of a median forest: how a node is split, what a leaf releases (chapter `median_forest`).

`split`: which column a node is cut on, and where. `candidates`: what it costs to draw candidates that
are not released. `leaf_mean`: the mean of a leaf, and how deep a tree should be.
"""
