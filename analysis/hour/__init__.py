"""What the hour says beside its ratings: the work, the week it is held against, the software, and what people guessed.

`reading` brings the answers of a bundle together; `shares` and `means` give them intervals with raters as clusters.
The statistics stand by themselves: `calibration`, `richness`, `adjusted`, `groupings`.
"""
