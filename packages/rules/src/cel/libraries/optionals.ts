import { isDeepStrictEqual } from 'node:util';
import type { Optional } from '@marcbachmann/cel-js';
import type { Library } from './library.ts';

/** Optional values are equal if both are empty or both hold the same. */
export const registerOptionals: Library = (environment) => {
  environment.registerOperator('optional<dyn> == optional<dyn>', (left: Optional, right: Optional) =>
    left.hasValue() && right.hasValue()
      ? isDeepStrictEqual(left.value(), right.value())
      : left.hasValue() === right.hasValue(),
  );
};
