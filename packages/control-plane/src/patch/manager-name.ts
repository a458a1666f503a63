const maxLength = 128;

/** The name of the field manager of a request: its `fieldManager` parameter, or what stands before the slash in its user agent. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  const [product = ''] = (userAgent ?? '').split('/', 1);
  let name = '';
  for (const character of product.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, '')) {
    if (Buffer.byteLength(name + character) > maxLength) break;
    name += character;
  }
  return name;
}
