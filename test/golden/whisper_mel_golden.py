"""Makes whisper_mel_golden.json beside itself: the log-mel rows of openai/whisper's audio.py, computed with numpy."""
import json
from pathlib import Path

import numpy as np

sr, n_fft, hop, n_mels = 16000, 400, 160, 80
# Slaney scale, as librosa's default.
def hz_to_mel(f):
    f = np.asarray(f, float); m = f / (200.0/3); lin = 1000.0/(200.0/3)
    return np.where(f >= 1000, lin + np.log(np.maximum(f,1e-9)/1000.0)/(np.log(6.4)/27), m)
def mel_to_hz(m):
    m = np.asarray(m, float); lin = 1000.0/(200.0/3)
    return np.where(m >= lin, 1000*np.exp((np.log(6.4)/27)*(m-lin)), m*(200.0/3))
def filters(n_mels):
    edges = mel_to_hz(np.linspace(hz_to_mel(0), hz_to_mel(sr/2), n_mels+2))
    freqs = np.linspace(0, sr/2, n_fft//2+1)
    fd = np.diff(edges); ramps = edges[:,None]-freqs[None]
    w = np.maximum(0, np.minimum(-ramps[:-2]/fd[:-1,None], ramps[2:]/fd[1:,None]))
    return w * (2/(edges[2:]-edges[:-2]))[:,None]
def log_mel(x, n_mels):
    x = np.concatenate([x, np.zeros(480000-len(x))])
    x = np.pad(x, n_fft//2, mode='reflect')
    win = 0.5-0.5*np.cos(2*np.pi*np.arange(n_fft)/n_fft)
    frames = np.stack([x[i*hop:i*hop+n_fft]*win for i in range(3001)])
    p = np.abs(np.fft.rfft(frames, axis=1))**2
    m = filters(n_mels) @ p[:-1].T
    l = np.log10(np.maximum(m, 1e-10)); l = np.maximum(l, l.max()-8)
    return (l+4)/4
# Sound that TypeScript can make number for number: a linear congruence and a chirp.
n = 24000
s = 12345; noise = np.empty(n)
for i in range(n):
    s = (s*1103515245 + 12345) % 2147483648
    noise[i] = s/1073741824 - 1
t = np.arange(n)/sr
x = (0.5*np.sin(2*np.pi*(200*t+1500*t*t)) + 0.05*noise).astype(np.float32).astype(float)
out = {}
for k in (80,128):
    m = log_mel(x, k)
    picks = [(b,f) for f in (0,1,2,37,75,149,150,151,200,2999) for b in (0,1,2,11,12,40,k-2,k-1)]
    out[str(k)] = {"mean": float(m.mean()), "values": [[b,f,round(float(m[b,f]),6)] for b,f in picks]}
Path(__file__).with_suffix(".json").write_text(json.dumps(out))
