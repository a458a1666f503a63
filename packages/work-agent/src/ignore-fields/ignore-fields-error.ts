/** An ignored field that cannot be selected. The manifest is not applied, and its condition has this message. */
export class IgnoreFieldsError extends Error {
  override readonly name = 'IgnoreFieldsError';
}
