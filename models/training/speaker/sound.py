"""Sound for training: features, synthetic speech, noise and music, and what lips would do."""
import os, subprocess, tempfile, wave
import numpy as np

RATE, FRAME = 16000, 640  # samples per second, samples per 25 Hz frame


def decode(path, *options):
    return subprocess.run(['ffmpeg', '-v', 'error', '-i', path, *options, '-'], capture_output=True, check=True).stdout


def _mel_bank():
    edges = np.floor(513 * 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + 8000 / 700), 28) / 2595) - 1) / 16000 + 1e-9)
    bins = np.arange(257)
    rise = lambda m: (bins - edges[m]) / (edges[m + 1] - edges[m])
    fall = lambda m: (edges[m + 2] - bins) / (edges[m + 2] - edges[m + 1])
    return np.array([np.where(bins < edges[m + 1], rise(m), fall(m)).clip(0) for m in range(26)])


_BANK = _mel_bank()
_K, _M = np.arange(13)[:, None], np.arange(26)
_DCT = np.cos(np.pi * _K * (2 * _M + 1) / 52) * np.sqrt(2 / 26) * (1 + 11 * np.sin(np.pi * _K / 22))


def features(pcm):
    """MFCC rows every 10 ms of int16-scaled sound, [4 * frames, 13]: src/core/audio-features.ts."""
    x = pcm.astype(np.float64)
    x = np.concatenate([x[:1], x[1:] - 0.97 * x[:-1], np.zeros(400)])
    count = -(-len(pcm) // 160)
    power = np.abs(np.fft.rfft(x[np.arange(400) + 160 * np.arange(count)[:, None]], 512)) ** 2 / 512
    out = np.log(np.maximum(power @ _BANK.T, 2.0 ** -52)) @ _DCT.T
    out[:, 0] = np.log(np.maximum(power.sum(1), 2.0 ** -52))
    return out.astype(np.float32)


# ---- speech that nobody said -------------------------------------------------------------------------------------

_WORDS = ('the of and a to in is you that it he was for on are with as his they be at one have this from or had by hot but some '
          'what there we can out other were all your when up use word how said an each she which do their time if will way about '
          'many then them would write like so these her long make thing see him two has look more day could go come did my sound '
          'no most number who over know water than call first people may down side been now find any new work part take get place '
          'made live where after back little only round man year came show every good me give our under name very through just '
          'form much great think say help low line before turn cause same mean differ move right boy old too does tell sentence '
          'set three want air well also play small end put home read hand port large spell add even land here must big high such '
          'follow act why ask men change went light kind off need house picture try us again animal point mother world near build '
          'self earth father amber whisper popular bubble moment problem maybe above remember mobile purple family film move over').split()
_VOICES = ('en-us en-gb en-gb-scotland en-gb-x-rp de fr es it pt nl sv pl ro da fi cs hu el tr id').split()
_VARIANTS = 'm1 m2 m3 m4 m5 m6 m7 m8 f1 f2 f3 f4 f5 croak whisper klatt klatt2 klatt3'.split()


def synthetic_speech(rng, seconds):
    """Speech of espeak-ng in a random voice, int16-scaled float, with pauses."""
    text, parts = '', []
    while len(text) < seconds * 16:
        words = rng.choice(_WORDS, rng.integers(3, 12))
        text += ' '.join(words) + str(rng.choice(['. ', ', ', '? ', '... ']))
    voice = f'{rng.choice(_VOICES)}+{rng.choice(_VARIANTS)}'
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.wav')
        subprocess.run(['espeak-ng', '-v', voice, '-p', str(rng.integers(15, 85)), '-s', str(rng.integers(120, 200)), '-w', path, text],
                       check=True, stderr=subprocess.DEVNULL)
        with wave.open(path) as file:
            rate, pcm = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32)
    pcm = resample(pcm, rate / RATE)
    return pcm[:int(seconds * RATE)]


def resample(pcm, step):
    """Plays faster and higher by `step`."""
    if step > 1:  # keep what would fold back out of the result
        spectrum = np.fft.rfft(pcm)
        spectrum[int(len(spectrum) / step):] = 0
        pcm = np.fft.irfft(spectrum, len(pcm))
    at = np.arange(0, len(pcm) - 1, step)
    return np.interp(at, np.arange(len(pcm)), pcm).astype(np.float32)


def noise(rng, samples):
    """White to brown noise, sometimes of changing loudness."""
    spectrum = np.fft.rfft(rng.standard_normal(samples)) / (1 + np.arange(samples // 2 + 1)) ** rng.uniform(0, 1)
    x = np.fft.irfft(spectrum, samples)
    if rng.random() < .5:
        x = x * np.interp(np.arange(samples), np.linspace(0, samples, 2 + samples // 8000), rng.uniform(.1, 1, 2 + samples // 8000))
    return x / (x.std() + 1e-9)


def music(rng, samples):
    """Notes of a scale with overtones over a beat."""
    x, t = np.zeros(samples), np.arange(samples) / RATE
    step = rng.uniform(.12, .5)
    root = rng.uniform(80, 300)
    for voice in range(rng.integers(1, 4)):
        for start in np.arange(0, samples / RATE, step * rng.choice([1, 2, 4])):
            pitch = root * 2 ** (rng.choice([0, 2, 4, 5, 7, 9, 11, 12]) / 12) * rng.choice([1, 2])
            since = t - start
            tone = sum(np.sin(2 * np.pi * pitch * k * since) / k ** rng.uniform(.8, 2) for k in range(1, 5))
            x += np.where(since >= 0, tone * np.exp(-np.clip(since, 0, None) * rng.uniform(1, 8)) * (since < 3), 0)
    if rng.random() < .6:
        for start in np.arange(0, samples / RATE, step):
            a = int(start * RATE)
            x[a:a + 1600] += 2 * rng.standard_normal(len(x[a:a + 1600])) * np.exp(-np.arange(len(x[a:a + 1600])) / 300)
    return x / (x.std() + 1e-9)


def spoil(rng, pcm):
    """Gain, tilt, echo, noise and music behind: the sound keeps its moments."""
    x = pcm.astype(np.float32)
    if rng.random() < .5:
        tilt = rng.uniform(-.6, .6)
        x = np.concatenate([x[:1], x[1:] + tilt * x[:-1]])
    if rng.random() < .3:
        delay = rng.integers(200, 1500)
        x[delay:] += rng.uniform(.1, .4) * x[:-delay]
    level = x.std() + 1
    if rng.random() < .4:
        x = x + noise(rng, len(x)) * level * 10 ** rng.uniform(-2, -.4)
    if rng.random() < .15:
        x = x + music(rng, len(x)) * level * 10 ** rng.uniform(-1.5, -.4)
    return np.clip(x * 10 ** rng.uniform(-.8, .4), -32768, 32767)


# ---- what lips would do -------------------------------------------------------------------------------------------

def lips(rng, pcm, frames):
    """Opening 0…1 and width −1 (rounded)…1 (spread) of a mouth saying this, [frames, 2]."""
    x = np.concatenate([np.zeros(200), pcm.astype(np.float64), np.zeros(FRAME)])
    rows = len(pcm) // 160
    power = np.abs(np.fft.rfft(x[np.arange(400) + 160 * np.arange(rows)[:, None]] * np.hanning(400), 512)) ** 2
    hz = np.arange(257) * RATE / 512
    band = lambda low, high: power[:, (hz >= low) & (hz < high)].sum(1) + 1
    centre = lambda low, high: (power * hz)[:, (hz >= low) & (hz < high)].sum(1) / band(low, high)
    voiced = np.log(band(250, 3000))
    top = np.percentile(voiced, 95)
    loud = np.clip((voiced - (top - rng.uniform(5, 8))) / rng.uniform(4, 6), 0, 1)
    hiss = np.clip((np.log(band(4000, 7500)) - np.log(band(250, 2500))) / 3 + .3, 0, 1)
    first = np.clip((centre(250, 1000) - 350) / 350, 0, 1)
    second = np.clip((centre(900, 2600) - 1500) / 500, -1, 1)
    opening = loud * (.35 + .65 * first) * (1 - .6 * hiss)
    width = loud * (second * .8 + hiss * .5)
    spread = rng.uniform(2, 4)
    kernel = np.exp(-.5 * (np.arange(-12, 13) / spread) ** 2)
    kernel /= kernel.sum()
    at = np.minimum(rows - 1, 4 * np.arange(frames) + 2)
    return np.stack([np.convolve(v, kernel, 'same')[at] for v in (opening, width)], 1)
