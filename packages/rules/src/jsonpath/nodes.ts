/** One bound of a slice. A bound that is not written is derived from the other one, or from the list. */
export interface Slice {
  readonly start?: number;
  readonly end?: number;
  readonly step?: number;
  /** `[3]`: the end was not written and is one after the start. */
  readonly single: boolean;
}

/** A step of a path, or a literal of a filter. */
export type PathNode =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'slice'; readonly slice: Slice }
  | {
      readonly type: 'filter';
      readonly left: readonly PathNode[];
      readonly right: readonly PathNode[];
      readonly operator: string;
    }
  | { readonly type: 'union'; readonly branches: readonly (readonly PathNode[])[] }
  | { readonly type: 'wildcard' }
  | { readonly type: 'descent' }
  | { readonly type: 'keyword'; readonly name: string }
  | { readonly type: 'literal'; readonly kind: LiteralKind; readonly value: string | number | boolean };

/** Whole numbers and others are different types, which are not compared. */
export type LiteralKind = 'string' | 'int' | 'float' | 'bool';

/** What stands between two braces, or the text outside of them, which is a literal. */
export type Action = readonly PathNode[];

/** A path that cannot be parsed, or that does not fit the value it is read from. */
export class JsonPathError extends Error {
  override readonly name: string = 'JsonPathError';
}

/** Paths that would visit more values than they may: one alone, or together with those that were evaluated before it. */
export class JsonPathBudgetError extends JsonPathError {
  override readonly name = 'JsonPathBudgetError';

  constructor(limit: number) {
    super(`the paths of this object visit more than ${limit} values together: select less, or remove paths`);
  }
}
