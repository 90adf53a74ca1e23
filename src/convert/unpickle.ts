import { corrupt } from './corrupt.js';

/** A file of numbers that tensors are cut from. */
export type Storage = {
  readonly kind: 'storage';
  readonly type: 'float32' | 'int64';
  /** Name of its file in the checkpoint's `data` folder. */
  readonly key: string;
  /** Numbers that the storage claims to hold. */
  readonly length: number;
};

/** A tensor as a checkpoint describes it: whole rows of a storage, from `offset` on. */
export type TensorRecord = {
  readonly kind: 'tensor';
  readonly storage: Storage;
  readonly offset: number;
  readonly shape: readonly number[];
};

/** Names that may be called; whatever else a pickle asks for is refused by name. */
const functions = ['torch._utils _rebuild_tensor_v2', 'collections OrderedDict'] as const;
const storages: Readonly<Record<string, Storage['type']>> = {
  'torch FloatStorage': 'float32',
  'torch LongStorage': 'int64',
};

type Global = { readonly kind: 'global'; readonly name: string };
type Dict = Map<Value, Value>;
type Value = number | boolean | string | readonly Value[] | Dict | Global | Storage | TensorRecord;

/** Opcodes of the pickle protocol 2 that `torch.save` uses for a state dict. */
const op = {
  proto: 0x80,
  mark: 0x28,
  stop: 0x2e,
  global: 0x63,
  reduce: 0x52,
  build: 0x62,
  persistentId: 0x51,
  put: 0x71,
  longPut: 0x72,
  get: 0x68,
  longGet: 0x6a,
  int32: 0x4a,
  int8: 0x4b,
  int16: 0x4d,
  unicode: 0x58,
  false: 0x89,
  true: 0x88,
  emptyTuple: 0x29,
  tuple: 0x74,
  tuple1: 0x85,
  tuple2: 0x86,
  tuple3: 0x87,
  emptyDict: 0x7d,
  setItem: 0x73,
  setItems: 0x75,
} as const;

/**
 * Reads the pickle of a PyTorch state dict and nothing else: no opcode but those above, no name but those above, no
 * code. Memory stays in proportion to `bytes`.
 *
 * @returns Tensors by name.
 * @throws ReframeError `model_corrupt` for everything else, saying what was met.
 * @see https://github.com/python/cpython/blob/main/Lib/pickletools.py for the opcodes.
 */
export function unpickleStateDict(bytes: Uint8Array): Map<string, TensorRecord> {
  const result = run(bytes);
  if (!(result instanceof Map)) throw corrupt('Expected a state dict, a table of tensors by name.');
  const tensors = new Map<string, TensorRecord>();
  for (const [name, value] of result) {
    // Never printed unless it is a text: a few bytes of nested tuples would become an endless text.
    if (typeof name !== 'string') throw corrupt('Expected a state dict whose tensors have names.');
    if (!isKind(value, 'tensor'))
      throw corrupt(`Expected a state dict of tensors only; "${brief(name)}" is something else.`);
    tensors.set(name, value);
  }
  return tensors;
}

function run(bytes: Uint8Array): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stack: Value[] = [];
  const marks: number[] = [];
  const memo = new Map<number, Value>();
  let at = 0;

  const take = (count: number): number => {
    if (at + count > bytes.length) throw corrupt(`The pickle of the checkpoint ends early, at byte ${at}.`);
    at += count;
    return at - count;
  };
  const pop = (): Value => {
    if (stack.length <= (marks.at(-1) ?? 0)) throw corrupt(`The pickle is broken at byte ${at}.`);
    return stack.pop()!;
  };
  const popMany = (count: number): Value[] => Array.from({ length: count }, pop).reverse();
  const popToMark = (): Value[] => {
    const mark = marks.pop();
    if (mark === undefined) throw corrupt(`The pickle is broken at byte ${at}.`);
    return stack.splice(mark);
  };
  const push = (value: Value): void => {
    stack.push(value);
  };
  const remember = (index: number): void => {
    const value = pop();
    memo.set(index, value);
    push(value);
  };
  const recall = (index: number): void => {
    const value = memo.get(index);
    if (value === undefined) throw corrupt(`The pickle is broken at byte ${at}.`);
    push(value);
  };
  const line = (): string => {
    const end = bytes.indexOf(0x0a, at);
    const from = take((end < 0 ? bytes.length : end) - at + 1);
    return text(bytes.subarray(from, end));
  };
  const fill = (items: readonly Value[]): void => {
    const dict = pop();
    if (!(dict instanceof Map) || items.length % 2 !== 0)
      throw corrupt(`The pickle is broken at byte ${at}.`);
    for (let i = 0; i < items.length; i += 2) dict.set(items[i]!, items[i + 1]!);
    push(dict);
  };

  const steps: Readonly<Record<number, () => void>> = {
    [op.proto]: () => {
      const version = bytes[take(1)];
      if (version !== 2) throw corrupt(`Expected a pickle of protocol 2, as PyTorch writes, not ${version}.`);
    },
    [op.mark]: () => marks.push(stack.length),
    [op.global]: () => push(globalOf(`${line()} ${line()}`)),
    [op.reduce]: () => {
      const [called, given] = popMany(2);
      push(call(called!, given!));
    },
    [op.build]: () => {
      // The state of the table itself (PyTorch's format version): of no use, and harmless, as it is only dropped.
      const [target] = popMany(2);
      if (!(target instanceof Map))
        throw corrupt('The checkpoint sets the state of something that has none.');
      push(target);
    },
    [op.persistentId]: () => push(storageOf(pop())),
    [op.put]: () => remember(bytes[take(1)]!),
    [op.longPut]: () => remember(view.getUint32(take(4), true)),
    [op.get]: () => recall(bytes[take(1)]!),
    [op.longGet]: () => recall(view.getUint32(take(4), true)),
    [op.int32]: () => push(view.getInt32(take(4), true)),
    [op.int8]: () => push(bytes[take(1)]!),
    [op.int16]: () => push(view.getUint16(take(2), true)),
    [op.unicode]: () => {
      const length = view.getUint32(take(4), true);
      const from = take(length);
      push(text(bytes.subarray(from, from + length)));
    },
    [op.false]: () => push(false),
    [op.true]: () => push(true),
    [op.emptyTuple]: () => push([]),
    [op.tuple]: () => push(popToMark()),
    [op.tuple1]: () => push(popMany(1)),
    [op.tuple2]: () => push(popMany(2)),
    [op.tuple3]: () => push(popMany(3)),
    [op.emptyDict]: () => push(new Map()),
    [op.setItem]: () => fill(popMany(2)),
    [op.setItems]: () => fill(popToMark()),
  };

  for (;;) {
    const code = bytes[take(1)]!;
    if (code === op.stop) return pop();
    const step = steps[code];
    if (!step)
      throw corrupt(
        `Expected a state dict of tensors only; byte ${at - 1} of its pickle is opcode 0x${code.toString(16)}, which they do not need.`,
      );
    step();
  }
}

function globalOf(name: string): Global {
  if (!functions.includes(name as never) && !Object.hasOwn(storages, name))
    throw corrupt(`Expected a state dict of float and integer tensors only; it asks for "${brief(name)}".`);
  return { kind: 'global', name };
}

/** Carries out one of the two calls that a state dict consists of. */
function call(called: Value, given: Value): Value {
  const name = isKind(called, 'global') ? called.name : undefined;
  if (!Array.isArray(given)) throw corrupt('The checkpoint calls something without arguments.');
  if (name === 'collections OrderedDict' && given.length === 0) return new Map();
  if (name === 'torch._utils _rebuild_tensor_v2') {
    const [storage, offset, shape, strides] = given as Value[];
    if (isKind(storage, 'storage') && isCount(offset) && isCounts(shape) && isCounts(strides))
      return tensorOf(storage, offset, shape, strides);
  }
  throw corrupt(`The checkpoint calls "${name ?? 'something'}" with other arguments than a tensor's.`);
}

function tensorOf(
  storage: Storage,
  offset: number,
  shape: readonly number[],
  strides: readonly number[],
): TensorRecord {
  let length = 1;
  const inRows = shape
    .map((size, axis) => ({ size, stride: strides[axis] }))
    .reverse()
    .every(({ size, stride }) => {
      const fits = size === 1 || stride === length;
      length *= size;
      return fits;
    });
  if (!inRows || strides.length !== shape.length)
    throw corrupt(
      `Expected tensors stored row by row; strides [${brief(strides.join())}] of [${brief(shape.join())}] are not.`,
    );
  if (!(offset + length <= storage.length))
    throw corrupt(
      `A tensor [${brief(shape.join())}] at ${offset} does not fit a storage of ${storage.length} numbers.`,
    );
  return { kind: 'tensor', storage, offset, shape };
}

/** @param id - `('storage', type, key, device, length)`. */
function storageOf(id: Value): Storage {
  const [word, type, key, , length] = Array.isArray(id) ? (id as Value[]) : [];
  if (word === 'storage' && isKind(type, 'global') && typeof key === 'string' && isCount(length)) {
    const numbers = storages[type.name];
    if (numbers) return { kind: 'storage', type: numbers, key, length };
  }
  throw corrupt('Expected a state dict whose tensors name their storages.');
}

function isKind<Kind extends 'global' | 'storage' | 'tensor'>(
  value: Value | undefined,
  kind: Kind,
): value is Extract<Value, { kind: Kind }> {
  return typeof value === 'object' && 'kind' in value && value.kind === kind;
}

const isCount = (value: Value | undefined): value is number => typeof value === 'number' && value >= 0;
const isCounts = (value: Value | undefined): value is readonly number[] =>
  Array.isArray(value) && value.every(isCount);

/** A name for a message: names in a hostile file may be of any length. */
const brief = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
