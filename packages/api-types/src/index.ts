// Metadata

// Kinds: types and where they are served. Their schemas and CustomResourceDefinitions are in `./kinds`.
export type * from './kinds/types.ts';
export type * from './meta.ts';
// Names: labels, annotations, finalizers, conditions, reasons
export * from './names/index.ts';
export * from './resources.ts';

// Validation and defaults are in `./kinds` for these kinds, and in `./validation` for any structural schema:
// apart from here, so that a program that needs only types and names does not load the schema library.
