"""Makes kaldi_fbank_golden.json beside itself: rows of torchaudio.compliance.kaldi.fbank as WeSpeaker asks for them, with numpy."""
import json
from pathlib import Path

import numpy as np

RATE, WINDOW, STEP, FFT, BANDS = 16000, 400, 160, 512, 80


def mel(hz):
    return 1127 * np.log(1 + hz / 700)


def filters():
    low, high = mel(20.0), mel(RATE / 2)
    delta = (high - low) / (BANDS + 1)
    bins = mel(RATE / FFT * np.arange(FFT // 2))
    left = (low + np.arange(BANDS) * delta)[:, None]
    up, down = (bins - left) / delta, (left + 2 * delta - bins) / delta
    return np.maximum(0, np.minimum(up, down))


def fbank(samples):
    wave = samples * 32768
    count = 1 + (len(wave) - WINDOW) // STEP
    frames = np.stack([wave[i * STEP : i * STEP + WINDOW] for i in range(count)])
    frames = frames - frames.mean(axis=1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], axis=1)
    frames = frames - 0.97 * before
    frames = frames * (0.54 - 0.46 * np.cos(2 * np.pi * np.arange(WINDOW) / (WINDOW - 1)))
    power = np.abs(np.fft.rfft(frames, FFT, axis=1)) ** 2
    rows = np.log(np.maximum(power[:, : FFT // 2] @ filters().T, np.finfo(np.float32).eps))
    return rows - rows.mean(axis=0)


# The sound of whisper_mel_golden.py.
n = 24000
state, noise = 12345, np.empty(n)
for i in range(n):
    state = (state * 1103515245 + 12345) % 2147483648
    noise[i] = state / 1073741824 - 1
t = np.arange(n) / RATE
sound = (0.5 * np.sin(2 * np.pi * (200 * t + 1500 * t * t)) + 0.05 * noise).astype(np.float32).astype(float)
rows = fbank(sound)
picks = [[row, band, round(float(rows[row, band]), 5)] for row in (0, 1, 50, 100, 147) for band in (0, 1, 5, 20, 40, 60, 78, 79)]
Path(__file__).with_suffix(".json").write_text(json.dumps({"rows": len(rows), "values": picks}) + "\n")
