"""The tasks of the subset, by name; their texts are the authors', and are read from the user's folder."""

_IN_BOTH = frozenset(
    [
        "aimo-airline-departures",
        "blind-maze-explorer-5x5",
        "cartpole-rl-training",
        "chem-property-targeting",
        "chem-rf",
        "circuit-fibsqrt",
        "cobol-modernization",
        "configure-git-webserver",
        "cross-entropy-method",
        "extract-moves-from-video",
        "feal-differential-cryptanalysis",
        "feal-linear-cryptanalysis",
        "form-filling",
        "git-multibranch",
        "gpt2-codegolf",
        "install-windows-xp",
        "make-doom-for-mips",
        "make-mips-interpreter",
        "model-extraction-relu-logits",
        "movie-helper",
        "neuron-to-jaxley-conversion",
        "oom",
        "organization-json-generator",
        "parallel-particle-simulator",
        "parallelize-graph",
        "password-recovery",
        "path-tracing",
        "path-tracing-reverse",
        "play-zork",
        "play-zork-easy",
        "polyglot-rust-c",
        "prove-plus-comm",
        "pytorch-model-cli",
        "rare-mineral-allocation",
        "recover-obfuscated-files",
        "reverse-engineering",
        "run-pdp11-code",
        "stable-parallel-kmeans",
        "swe-bench-astropy-1",
        "swe-bench-astropy-2",
        "train-fasttext",
        "word2vec-from-scratch",
        "write-compressor",
    ]
)
HARD_47 = _IN_BOTH | {
    "causal-inference-r",
    "install-windows-3.11",
    "lean4-proof",
    "mcmc-sampling-stan",
}
SPLIT_44 = _IN_BOTH | {"super-benchmark-upet"}
# Tasks of the split whose own solution does not pass their tests.
UNSOLVED_BY_THE_AUTHORS = frozenset(
    {"feal-differential-cryptanalysis", "install-windows-xp", "make-doom-for-mips", "run-pdp11-code"}
)
