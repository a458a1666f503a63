import type { ObjectMeta } from '@flotilla/api-types';

/** `x_kubernetes_list_type` is `x-kubernetes-list-type` on the wire. */
type Dashed<Name extends string> = Name extends `${infer Head}_${infer Tail}` ? `${Head}-${Dashed<Tail>}` : Name;

/** The model types escape reserved words (`_from`) and dashes; the wire does not. */
type WireName<Name> = Name extends `x_kubernetes_${string}`
  ? Dashed<Name>
  : Name extends `_${infer Reserved}`
    ? Reserved
    : Name;

type IsAny<T> = 0 extends 1 & T ? true : false;

/**
 * A model type of `@kubernetes/client-node` as its objects are in JSON: timestamps are strings, field names are not
 * escaped, and what may be any JSON is `unknown`. Only the types are used, so nothing of that package is loaded.
 */
export type Wire<T> =
  IsAny<T> extends true
    ? unknown
    : T extends Date
      ? string
      : T extends readonly (infer Item)[]
        ? Wire<Item>[]
        : T extends object
          ? string extends keyof T
            ? { [Name in keyof T]: Wire<T[Name]> }
            : 'managedFields' extends keyof T
              ? ObjectMeta
              : { [Name in keyof T as WireName<Name>]: Wire<T[Name]> }
          : T;
