"""Sentences as RDF and DiPriMe print them, each with the row of the ledger that judges it."""

PASTED = {
    "rdf/less-noise-than-counts": "We demonstrate that this is indeed possible by devising a less sensitivity "
    "query that outputs a similar answer, resulting in less noise overall",
    "rdf/counts-many-classes": "it scales poorly with multiple labels, since noise needs to be independently "
    "added to each label count",
    "rdf/orders-of-magnitude": "our single query is often orders of magnitude less sensitive than the queries "
    "used by other differentially private decision trees, and equally sensitive in the worst-case scenario",
    "rdf/undetectable": "modifies the answer in a way that makes it mathematically impossible to detect if any "
    "specific individual is in the dataset or not",
    "rdf/local-sensitivity": "Unfortunately this definition of sensitivity is not differentially private",
    "rdf/post-processing": "differential privacy is immune from post-processing, and differentially-private "
    "outputs can never incur additional privacy costs after the fact",
    "rdf/table-2-tenfold": "Note how j and ϵ have an equal impact on the result – increasing j tenfold is the "
    "same as increasing ϵ tenfold",
    "rdf/never-more-noise": "Using our proposed smooth sensitivity instead of the global sensitivity of 1, we "
    "can guarantee that equal or less noise is added to all queries",
    "rdf/most-prominent": "This effect is most prominent with smaller datasets where j is small, before the "
    "exponential nature of the smooth sensitivity overpowers the numerator",
    "rdf/almost-random": "leading to the difference between purely random and almost purely random being "
    "trivially small for some of these leafs",
    "rdf/clumping": "records will start clumping together in certain nodes, with other nodes receiving very few "
    "records",
    "rdf/empty-leaf-scores": "Any records that do finish at an empty leaf node will be predicted to have a class "
    "label that is randomly chosen with uniform probability",
    "rdf/false-confidence": "where every label reports a purely random frequency, highly confident predictions "
    "could be falsely created",
    "rdf/gap-slower": "j does not increase at the same ratio that n does, because many of the extra records are "
    "going to previously empty leaf nodes",
    "rdf/half-at-half": "the probability of this happening at a depth of exactly m/2 is much lower if all (or "
    "some) of the features are continuous",
    "rdf/eighty-percent": "at least 80% of the votes (from non-empty leaf nodes) are likely to be correct",
    "rdf/empty-votes-cancel": "100 votes is a large enough sample that the random votes cast by empty leaf "
    "nodes will cancel each other out in most cases",
    "rdf/table-1": "The above parameters sum to the total number of features m generated for a dataset.",
    "rdf/real-sets": "when building random trees with eight real-world datasets and seven synthetic datasets",
    "diprime-v1/no-empty-leaves": "we can pre-select a depth that will have no empty leaves with high probability",
    "diprime-v1/partition": "we randomly partition our data into N_T groups, and learn a DiPriMe tree on each "
    "group",
    "diprime-v1/divisible": "the dataset is perfectly divisible into the leaf nodes, i.e., N = 2^d for a depth-d "
    "tree",
    "diprime-v1/mixed-features": "The UCI datasets contain a mixture of categorical and numeric features",
    "diprime-v1/median-comparable": "The performance of median trees is comparable to that of extremely "
    "randomized trees",
    "diprime-v1/noise-scale": "Note how the noise added scales as 1/ϵ – increased privacy directly translates "
    "to increased noise variance.",
    "diprime-v2/base-measure": "and a base measure μ on R. For any dataset D, selecting an outcome r with "
    "probability",
    "diprime-v2/signal-to-noise": "By avoiding low-occupancy leaf nodes, we avoid high signal-to-noise ratios "
    "when privatizing the leaf node sufficient statistics.",
    "diprime-v2/noise-order": "in both cases, the expected value of the noise added is on the order of the "
    "contribution of a single data point",
    "diprime-v2/leaf-mean": "if we have N_i data points associated with the ith leaf node, and we have a bounded "
    "target |Y| ≤ B, we can achieve ϵ_ℓ-DP at a single leaf by adding Laplace(0, 2B/N_iϵ_ℓ) noise to the mean",
    "diprime-v2/leaf-counts": "In a classification context, to render the count query at a given node ϵ_ℓ-DP, we "
    "can add Laplace(0, 1/ϵ_ℓ) noise to each class count",
    "diprime-v2/low-counts": "sufficiently low counts would result in this selection being no better than random",
    "diprime-v2/median-balance": "we can achieve optimal leaf node balance by splitting on the median value",
    "diprime-v2/comparable-flip": "the comparable performances of DiPriMeExp and DiPriMeFlip suggest that the "
    "use of alternative mechanisms would have little impact on performance",
    "diprime-v2/where-similar": "DiPriMe tends to perform comparably to DiPriMeExp and DiPriMeFlip in datasets "
    "where RFs and ERTs have similar MSE",
    "diprime-v2/dp-rf-poor": "Also of note is the very poor performance of DP-RF",
    "diprime-v2/little-to-choose": "There is little to choose between the variants of DiPriMe",
    "diprime-v2/figure-3/nodes": "DP-DF and DP-RF generated an average of 407 nodes and 104 nodes respectively, "
    "compared with 31 for DiPriMe and DP-ERT",
    "diprime-v2/flip-monotone": "Note that P_f,L is monotonically decreasing over N_L^* and θ_L^*",
}
