#!/usr/bin/env python3
"""Speaks texts with espeak-ng and says when each word begins.

usage: speak.py OUT < JSON: a list of {name, voice, wordsPerMin, text}. Writes OUT/NAME.wav; prints for each text the words that it
marks, [[offset in the text, start in seconds]]: small words that it runs together have one mark. Needs libespeak-ng (Debian: espeak-ng).
"""
import ctypes, json, os, sys, wave

RETRIEVE_SOUND, WORD, END, RATE, UTF8 = 1, 1, 0, 1, 1


class Event(ctypes.Structure):
    # espeak_EVENT of speak_lib.h, the union as its largest member
    _fields_ = [('type', ctypes.c_int), ('unique', ctypes.c_uint), ('position', ctypes.c_int), ('length', ctypes.c_int),
                ('audio_ms', ctypes.c_int), ('sample', ctypes.c_int), ('user', ctypes.c_void_p), ('id', ctypes.c_char * 8)]


def main(out):
    try: library = ctypes.CDLL('libespeak-ng.so.1')
    except OSError: sys.exit(3)
    rate = library.espeak_Initialize(RETRIEVE_SOUND, 0, None, 0)
    sound, starts = bytearray(), []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event))
    def receive(samples, count, events):
        if samples and count: sound.extend(ctypes.string_at(samples, 2 * count))
        i = 0
        while events[i].type != END:
            if events[i].type == WORD: starts.append((events[i].position - 1, events[i].audio_ms / 1000))
            i += 1
        return 0

    library.espeak_SetSynthCallback(receive)
    told = []
    for item in json.load(sys.stdin):
        sound.clear()
        starts.clear()
        if library.espeak_SetVoiceByName(item['voice'].encode()): sys.exit(f"speak.py: espeak-ng has no voice {item['voice']}")
        library.espeak_SetParameter(RATE, item['wordsPerMin'], 0)
        text = item['text'].encode()
        library.espeak_Synth(text, len(text) + 1, 0, 0, 0, UTF8, None, None)
        library.espeak_Synchronize()
        with wave.open(os.path.join(out, item['name'] + '.wav'), 'wb') as file:
            file.setparams((1, 2, rate, 0, 'NONE', ''))
            file.writeframes(bytes(sound))
        told.append(starts[:])
    json.dump(told, sys.stdout)


if __name__ == '__main__':
    if len(sys.argv) != 2: sys.exit(__doc__)
    main(sys.argv[1])
