"""Where two texts part."""


def common_length(left: bytes, right: bytes) -> int:
    """How many bytes two texts share from the start."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def first_change(old: bytes, new: bytes) -> int:
    """The line of `new`, from 1, in which it stops being `old`."""
    return new.count(b"\n", 0, common_length(old, new)) + 1
