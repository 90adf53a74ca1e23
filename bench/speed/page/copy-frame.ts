/** A copy of a frame's visible pixels that lies in ordinary memory; the original may be closed. */
export async function copyFrame(frame: VideoFrame): Promise<VideoFrame> {
  const data = new Uint8Array(frame.allocationSize());
  const layout = await frame.copyTo(data);
  const { width, height } = frame.visibleRect!;
  return new VideoFrame(data, {
    format: frame.format!,
    codedWidth: width,
    codedHeight: height,
    timestamp: frame.timestamp,
    layout,
    colorSpace: frame.colorSpace.toJSON(),
    ...(frame.duration === null ? {} : { duration: frame.duration }),
  });
}
