import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

// Field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, as in src/convert/onnx-writer.ts.

/** What the cost of a network depends on. */
export type ReadGraph = {
  readonly nodes: readonly ReadNode[];
  /** Shapes of the constants by name. */
  readonly constants: ReadonlyMap<string, { readonly dims: readonly number[]; readonly elementType: number }>;
};

export type ReadNode = {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
};

/** Reads nodes and the shapes of constants of an `.onnx` file; graphs inside of nodes are left out. */
export function readOnnx(bytes: Uint8Array): ReadGraph {
  const nodes: ReadNode[] = [];
  const constants = new Map<string, { dims: readonly number[]; elementType: number }>();
  const graph: Fields = {
    1: reader => nodes.push(readNode(reader.bytes())),
    5: reader => {
      const { name, ...constant } = readConstant(reader.bytes());
      constants.set(name, constant);
    },
  };
  readFields(bytes, { 7: reader => readFields(reader.bytes(), graph) });
  return { nodes, constants };
}

/**
 * The same model with further results of its nodes as outputs: two protobuf messages one after the other are one
 * message with the lists of both.
 */
export function withOutputs(bytes: Uint8Array, names: readonly string[]): Uint8Array {
  const more = new BinaryWriter();
  more.tag(7, WireType.LengthDelimited).fork();
  for (const name of names)
    more.tag(12, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(name).join();
  more.join();
  return Buffer.concat([bytes, more.finish()]);
}

function readNode(bytes: Uint8Array): ReadNode {
  const node = { op: '', inputs: [] as string[], outputs: [] as string[] };
  readFields(bytes, {
    1: reader => node.inputs.push(reader.string()),
    2: reader => node.outputs.push(reader.string()),
    4: reader => {
      node.op = reader.string();
    },
  });
  return node;
}

function readConstant(bytes: Uint8Array) {
  const constant = { name: '', dims: [] as number[], elementType: 0 };
  readFields(bytes, {
    1: (reader, type) => {
      if (type === WireType.Varint) constant.dims.push(Number(reader.int64()));
      else {
        const packed = new BinaryReader(reader.bytes());
        while (packed.pos < packed.len) constant.dims.push(Number(packed.int64()));
      }
    },
    2: reader => {
      constant.elementType = reader.int32();
    },
    8: reader => {
      constant.name = reader.string();
    },
  });
  return constant;
}

/** Reads one field by its number; fields without a reader are skipped. */
type Fields = Readonly<Record<number, (reader: BinaryReader, type: WireType) => void>>;

function readFields(bytes: Uint8Array, fields: Fields): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const read = fields[field];
    if (read) read(reader, type);
    else reader.skip(type);
  }
}
