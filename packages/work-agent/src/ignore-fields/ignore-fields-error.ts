/** An ignored field that cannot be selected. The manifest is not applied, and its condition tells this message. */
export class IgnoreFieldsError extends Error {
  override readonly name = 'IgnoreFieldsError';
}
