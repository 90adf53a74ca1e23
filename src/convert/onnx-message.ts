import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { corrupt } from './corrupt.js';

/** A field of a message of the format. */
export type MessageField = {
  readonly number: number;
  /** What the field holds, without its tag and length; empty for numbers. */
  readonly content: Uint8Array;
  /** The field as it stands in the file. */
  readonly raw: Uint8Array;
};

const none: Uint8Array = new Uint8Array(0);

/**
 * Reads one level of a message; nested messages are fields whose `content` is read in turn.
 *
 * @throws ReframeError `model_corrupt` where the bytes are no message.
 */
export function readMessage(bytes: Uint8Array): MessageField[] {
  const reader = new BinaryReader(bytes);
  const fields: MessageField[] = [];
  try {
    while (reader.pos < reader.len) {
      const start = reader.pos;
      const [number, wireType] = reader.tag();
      let content = none;
      if (wireType === WireType.LengthDelimited) content = reader.bytes();
      else reader.skip(wireType, number);
      fields.push({ number, content, raw: bytes.subarray(start, reader.pos) });
    }
  } catch (cause) {
    throw corrupt(`Not an ONNX file: ${(cause as Error).message}.`);
  }
  return fields;
}

/** The first field of a number, as text; empty where there is none. */
export const textOf = (fields: readonly MessageField[], number: number): string => {
  const field = fields.find(field => field.number === number);
  return field ? new TextDecoder().decode(field.content) : '';
};

/** A field that holds bytes, text or a message. */
export const writeField = (number: number, content: Uint8Array | string): Uint8Array =>
  new BinaryWriter()
    .tag(number, WireType.LengthDelimited)
    .bytes(typeof content === 'string' ? new TextEncoder().encode(content) : content)
    .finish();

/** A field that holds a whole number. */
export const writeNumber = (number: number, value: number): Uint8Array =>
  new BinaryWriter().tag(number, WireType.Varint).int64(value).finish();

/** Parts of a message, one after the other. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
