declare global {
  interface JSON {
    /** V8 has it, and the library of TypeScript does not yet. */
    rawJSON(text: string): object;
  }
}

/** A number of 16 digits or more, which is the least that may be too large for a JavaScript number. */
const longNumber = /(?:^|[:,[\s])-?\d{16}/;
/** Of up to 19 digits, as 64 bits have: larger ones are floating point for Kubernetes, too, and may have any number of digits. */
const integer = /^-?\d{1,19}$/;

/**
 * Reads JSON as Kubernetes means it: whole numbers of up to 64 bits keep all their digits. Those that a JavaScript number cannot hold
 * become a bigint; all others are numbers. Text without a long number, which is nearly all, is read as fast as by `JSON.parse`.
 */
export const parseJson = (text: string): unknown =>
  longNumber.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);

/** The source of a number is a third argument, which the library of TypeScript does not know yet. */
function exactInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  if (typeof value !== 'number' || Number.isSafeInteger(value) || !integer.test(source)) return value;
  const exact = BigInt(source);
  return BigInt.asIntN(64, exact) === exact ? exact : value;
}

/** Writes what `parseJson` read: a bigint with all its digits, all other values as `JSON.stringify` does. */
export function stringifyJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // The only thing that JSON.stringify refuses and this does not.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, exactDigits, indent);
  }
}

const exactDigits = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value;
