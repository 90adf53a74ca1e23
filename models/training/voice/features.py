"""Log-mel rows as src/core/log-mel.ts computes them."""

import numpy as np
import torch

RATE, STEP, FRAME, FFT, BANDS = 16000, 160, 400, 512, 40
LEAST = 1e-10  # least energy of a band: what stands in for digital silence


def mel_bank():
    """`melFilters(40, 512, 16000)` of src/core/spectrum.ts, [257, 40]."""
    edges = np.floor((FFT + 1) * 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + RATE / 2 / 700), BANDS + 2) / 2595) - 1) / RATE + 1e-9)
    bins = np.arange(FFT // 2 + 1)[:, None]
    low, peak, high = edges[:-2], edges[1:-1], edges[2:]
    rise, fall = (bins - low) / (peak - low), (high - bins) / (high - peak)
    return np.where(bins < peak, rise, fall).clip(0)


_BANK = torch.tensor(mel_bank(), dtype=torch.float32)
_WINDOW = torch.tensor(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME), dtype=torch.float32)


def log_mel(sound):
    """Sound in ±1, [batch, samples], to [batch, 40, rows], a row for each whole window of 25 ms every 10 ms."""
    power = torch.fft.rfft(sound.unfold(1, FRAME, STEP) * _WINDOW, FFT).abs().square() / FFT
    return (power @ _BANK).clamp_min(LEAST).log().transpose(1, 2)
