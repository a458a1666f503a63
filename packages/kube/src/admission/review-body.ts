/** The body as JSON, or in words what is wrong with it. */
export function jsonOf(text: string): { readonly value: unknown } | string {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'the body is not JSON';
  }
}
