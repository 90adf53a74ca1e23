/** Every kernel covers its output with one invocation per pixel (or group of pixels) in groups of this size. */
export const groupSide = 8;

const head = `
@group(0) @binding(0) var<storage, read> p: array<i32>;
fn real(i: u32) -> f32 { return bitcast<f32>(p[i]); }
`;
const main = `@compute @workgroup_size(${groupSide}, ${groupSide}) fn main(@builtin(global_invocation_id) id: vec3u)`;

/** A byte or a 16-bit value out of packed words. */
const packed = `
fn byteAt(i: u32) -> f32 { return f32((bytes[i / 4u] >> (8u * (i % 4u))) & 0xffu); }
fn pairAt(i: u32) -> f32 { return f32((bytes[i / 2u] >> (16u * (i % 2u))) & 0xffffu); }
`;

/**
 * Compute shaders, WGSL. Binding 0 is always the parameters, whole numbers and the bits of floats in one array; the
 * order of the other bindings is the order of declaration. Pictures are textures of R'G'B' 0–1, upright.
 */
export const kernels = {
  /** A video frame into a picture. Parameters: width and height before the turn, the turn in quarters clockwise. */
  frame: `${head}
@group(0) @binding(1) var source: texture_external;
@group(0) @binding(2) var linear: sampler;
@group(0) @binding(3) var picture: texture_storage_2d<rgba16float, write>;
${main} {
  let size = textureDimensions(picture);
  if (any(id.xy >= size)) { return; }
  let to = vec2f(id.xy) + 0.5;
  let coded = vec2f(f32(p[0]), f32(p[1]));
  var spot = to;
  if (p[2] == 1) { spot = vec2f(to.y, coded.y - to.x); }
  if (p[2] == 2) { spot = coded - to; }
  if (p[2] == 3) { spot = vec2f(coded.x - to.y, to.x); }
  textureStore(picture, id.xy, vec4f(textureSampleBaseClampToEdge(source, linear, spot / coded).rgb, 1.0));
}`,

  /**
   * Planes in memory into a picture, chroma bilinear. Parameters: bytes per value, 1 for R, G, B; black, luma,
   * grey, red V, green U, green V, blue U (floats); per plane offset, then per axis step, length, subsampling, phase.
   */
  planes: `${head}
@group(0) @binding(1) var<storage, read> bytes: array<u32>;
@group(0) @binding(2) var picture: texture_storage_2d<rgba16float, write>;
${packed}
fn stored(first: u32, x: i32, y: i32) -> f32 {
  let column = clamp(x, 0, p[first + 2u] - 1) * p[first + 1u];
  let row = clamp(y, 0, p[first + 6u] - 1) * p[first + 5u];
  let i = u32(p[first] + column + row);
  if (p[0] == 1) { return byteAt(i); }
  return pairAt(i);
}
fn plane(index: u32, at: vec2u) -> f32 {
  let first = 9u + 9u * index;
  let step = vec2f(f32(p[first + 3u]), f32(p[first + 7u]));
  let phase = vec2f(f32(p[first + 4u]), f32(p[first + 8u]));
  let spot = (vec2f(at) + phase + 0.5) / step - 0.5;
  let low = floor(spot);
  let part = spot - low;
  let x = i32(low.x);
  let y = i32(low.y);
  return mix(
    mix(stored(first, x, y), stored(first, x + 1, y), part.x),
    mix(stored(first, x, y + 1), stored(first, x + 1, y + 1), part.x), part.y);
}
${main} {
  if (any(id.xy >= textureDimensions(picture))) { return; }
  var c = vec3f(plane(0u, id.xy), plane(1u, id.xy), plane(2u, id.xy));
  if (p[1] == 0) {
    let bright = (c.x - real(2u)) * real(3u);
    let u = c.y - real(4u);
    let v = c.z - real(4u);
    c = vec3f(bright + real(5u) * v, bright + real(6u) * u + real(7u) * v, bright + real(8u) * u);
  }
  textureStore(picture, id.xy, vec4f(c / 255.0, 1.0));
}`,

  /**
   * One axis of a resize. Parameters: axis (0 across, 1 down), width, height, left and top of the output in
   * `target`, gain (float), taps per output, then the starts, then the weights (floats).
   */
  resample: `${head}
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var picture: texture_storage_2d<rgba16float, write>;
${main} {
  if (i32(id.x) >= p[1] || i32(id.y) >= p[2]) { return; }
  let outputs = u32(select(p[1], p[2], p[0] == 1));
  let along = select(id.x, id.y, p[0] == 1);
  let count = u32(p[6]);
  let start = p[7u + along];
  let weights = 7u + outputs + along * count;
  var sum = vec3f(0.0);
  for (var k = 0u; k < count; k++) {
    let spot = select(vec2i(start + i32(k), i32(id.y)), vec2i(i32(id.x), start + i32(k)), p[0] == 1);
    sum += real(weights + k) * textureLoad(source, spot, 0).rgb;
  }
  textureStore(picture, vec2i(id.xy) + vec2i(p[3], p[4]), vec4f(sum * real(5u), 1.0));
}`,

  /**
   * A panel with rounded corners over what is there. Parameters: width and height of the panel, its left and top in
   * `under`, radius (float). The same shares as on the CPU (`corners.ts`).
   */
  rounded: `${head}
@group(0) @binding(1) var over: texture_2d<f32>;
@group(0) @binding(2) var under: texture_2d<f32>;
@group(0) @binding(3) var picture: texture_storage_2d<rgba16float, write>;
${main} {
  if (i32(id.x) >= p[0] || i32(id.y) >= p[1]) { return; }
  let at = vec2i(id.xy);
  let radius = real(4u);
  let inside = vec2f(min(at, vec2i(p[0], p[1]) - 1 - at)) + 0.5;
  let away = max(vec2f(radius) - inside, vec2f(0.0));
  var share = 1.0;
  if (all(away > vec2f(0.0))) { share = clamp(radius + 0.5 - length(away), 0.0, 1.0); }
  let below = textureLoad(under, at + vec2i(p[2], p[3]), 0);
  textureStore(picture, at, mix(below, textureLoad(over, at, 0), share));
}`,

  /**
   * Packed R'G'B' and transparency over what is there. Parameters: width and height of the packed picture, its left and
   * top in `under`.
   */
  overlay: `${head}
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var under: texture_2d<f32>;
@group(0) @binding(3) var picture: texture_storage_2d<rgba16float, write>;
${main} {
  if (i32(id.x) >= p[0] || i32(id.y) >= p[1]) { return; }
  let at = vec2i(id.xy);
  let over = unpack4x8unorm(pixels[p[0] * at.y + at.x]);
  let below = textureLoad(under, at + vec2i(p[2], p[3]), 0);
  textureStore(picture, at, vec4f(mix(below.rgb, over.rgb, over.a), 1.0));
}`,

  /** A picture into another. Parameters: width, height, left and top in `picture`. */
  paste: `${head}
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var picture: texture_storage_2d<rgba16float, write>;
${main} {
  if (i32(id.x) >= p[0] || i32(id.y) >= p[1]) { return; }
  textureStore(picture, vec2i(id.xy) + vec2i(p[2], p[3]), textureLoad(source, vec2i(id.xy), 0));
}`,

  /**
   * A picture into a tensor. Parameters: width and height of the tensor, left, top, width and height of the picture
   * in it, elements from pixel to pixel and row to row, from a pixel to its red, green and blue; scale, padding.
   */
  tensor: `${head}
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
${main} {
  if (i32(id.x) >= p[0] || i32(id.y) >= p[1]) { return; }
  let at = vec2i(id.xy) - vec2i(p[2], p[3]);
  var c = vec3f(real(12u));
  if (all(at >= vec2i(0)) && all(at < vec2i(p[4], p[5]))) {
    c = 255.0 * clamp(textureLoad(source, at, 0).rgb, vec3f(0.0), vec3f(1.0));
  }
  let first = i32(id.x) * p[6] + i32(id.y) * p[7];
  values[first + p[8]] = c.r * real(11u);
  values[first + p[9]] = c.g * real(11u);
  values[first + p[10]] = c.b * real(11u);
}`,

  /** A picture into packed grey bytes, four to an invocation. Parameters: width, height, words per row, shares (floats). */
  grey: `${head}
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
${main} {
  if (i32(id.x) >= p[2] || i32(id.y) >= p[1]) { return; }
  var word = 0u;
  for (var k = 0u; k < 4u; k++) {
    let at = vec2i(min(i32(4u * id.x + k), p[0] - 1), i32(id.y));
    let luma = dot(textureLoad(source, at, 0).rgb, vec3f(real(3u), real(4u), real(5u)));
    word |= u32(255.0 * clamp(luma, 0.0, 1.0) + 0.5) << (8u * k);
  }
  words[u32(p[2]) * id.y + id.x] = word;
}`,

  /**
   * Crops out of packed grey. Parameters: width, height, words per row of the grey copy; width and height of a crop,
   * padding (float); per crop the centre of pixel (0, 0) and the step to the next, x then y (floats).
   */
  crops: `${head}
@group(0) @binding(1) var<storage, read> bytes: array<u32>;
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
${packed}
fn grey(x: i32, y: i32) -> f32 {
  if (x < 0 || y < 0 || x >= p[0] || y >= p[1]) { return real(5u); }
  return byteAt(u32(4 * p[2] * y + x));
}
${main} {
  if (i32(id.x) >= p[3] || i32(id.y) >= p[4]) { return; }
  let first = 6u + 4u * id.z;
  let spot = vec2f(real(first) + f32(id.x) * real(first + 1u), real(first + 2u) + f32(id.y) * real(first + 3u));
  let low = floor(spot);
  let part = spot - low;
  let x = i32(low.x);
  let y = i32(low.y);
  values[(id.z * u32(p[4]) + id.y) * u32(p[3]) + id.x] = mix(
    mix(grey(x, y), grey(x + 1, y), part.x),
    mix(grey(x, y + 1), grey(x + 1, y + 1), part.x), part.y);
}`,

  /**
   * A picture into BT.709 limited I420, eight by two pixels to an invocation. Parameters: width, height, words per
   * luma row (even), first word of U and of V.
   */
  i420: `${head}
@group(0) @binding(1) var source: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
const shares = vec3f(0.2126, 0.7152, 0.0722);
fn colour(x: u32, y: u32) -> vec3f {
  let at = min(vec2i(i32(x), i32(y)), vec2i(p[0], p[1]) - 1);
  return clamp(textureLoad(source, at, 0).rgb, vec3f(0.0), vec3f(1.0));
}
fn byte(value: f32) -> u32 { return u32(clamp(value, 0.0, 255.0) + 0.5); }
${main} {
  let row = 2u * id.y;
  if (2 * i32(id.x) >= p[2] || i32(row) >= p[1]) { return; }
  var luma = array<u32, 4>(0u, 0u, 0u, 0u);
  var u = 0u;
  var v = 0u;
  for (var block = 0u; block < 4u; block++) {
    var mean = vec3f(0.0);
    for (var k = 0u; k < 4u; k++) {
      let column = 2u * block + (k & 1u);
      let c = colour(8u * id.x + column, row + (k >> 1u));
      mean += c / 4.0;
      luma[2u * (k >> 1u) + column / 4u] |= byte(16.0 + 219.0 * dot(c, shares)) << (8u * (column % 4u));
    }
    let bright = dot(mean, shares);
    u |= byte(128.0 + 224.0 * (mean.b - bright) / (2.0 * (1.0 - shares.b))) << (8u * block);
    v |= byte(128.0 + 224.0 * (mean.r - bright) / (2.0 * (1.0 - shares.r))) << (8u * block);
  }
  let across = u32(p[2]);
  words[row * across + 2u * id.x] = luma[0];
  words[row * across + 2u * id.x + 1u] = luma[1];
  words[(row + 1u) * across + 2u * id.x] = luma[2];
  words[(row + 1u) * across + 2u * id.x + 1u] = luma[3];
  words[u32(p[3]) + id.y * (across / 2u) + id.x] = u;
  words[u32(p[4]) + id.y * (across / 2u) + id.x] = v;
}`,
} as const;
