/** An event, or a part of one, that the protocol does not allow. The message names the field, the value and what is expected. */
export class MalformedEvent extends Error {
  override readonly name = 'MalformedEvent';
}

/** A value for an error message: short, quoted, without control characters. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…"`;
}
