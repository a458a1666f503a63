/** Characters that Kubernetes writes as `\uXXXX` in JSON and JavaScript writes as they are. */
const escapedByKubernetes = /[<>&\u2028\u2029]/g;
const escapeBytes = 6;

/** Bytes of a value in the JSON that an API server sends: escapes included, whoever sent it. */
function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) ?? '';
  let bytes = Buffer.byteLength(text);
  for (const [character] of text.matchAll(escapedByKubernetes)) bytes += escapeBytes - Buffer.byteLength(character);
  return bytes;
}

/** Bytes of a number as a protobuf varint: seven bits each. */
const varintBytes = (value: number): number => Math.max(1, Math.ceil(Math.log2(value + 1) / 7));

/** The size of a manifest as OCM counts it: its JSON as a protobuf field, with one byte of tag and the length before it. */
export function manifestSize(manifest: unknown): number {
  const bytes = jsonBytes(manifest);
  return 1 + varintBytes(bytes) + bytes;
}
