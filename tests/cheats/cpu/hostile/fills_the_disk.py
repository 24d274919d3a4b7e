# trick = "F24 exhaustion"
# caught = "by check"
# own_test = "test_the_scratch_folder_has_an_end"
"""Writes file after file into its scratch folder."""

import torch

for number in range(128):
    with open(f"{number}.bin", "wb") as file:
        file.write(bytes(2**20))


def run(x, y):
    torch.softmax(x, dim=1, out=y)
