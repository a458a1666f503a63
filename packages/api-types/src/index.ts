// Metadata
export type * from './meta.ts';
// Kinds: schemas, types, resource types

// Names: labels, annotations, finalizers, conditions, reasons

// Validation and defaults
