import type { ResolveSchema, StructuralSchema } from '../contracts/structural-schema.ts';

/** What merging must know of a schema: which of scalar, list and map a value may be, and what belongs together. */
export interface ValueType {
  readonly scalar?: 'numeric' | 'string' | 'boolean' | 'untyped';
  readonly list?: ListType;
  readonly map?: MapType;
}

export interface ListType {
  /** One owner for the whole list. Otherwise each item has its own: by `keys`, or by its value if there are none. */
  readonly atomic: boolean;
  readonly keys: readonly string[];
  readonly items: LazyType;
}

export interface MapType {
  /** One owner for the whole map. Otherwise each field has its own. */
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of fields that have no name in the schema; without it there may be none. */
  readonly others?: LazyType;
  /** Nothing is known about its fields: their types follow from their values. */
  readonly deduced: boolean;
}

export interface FieldType {
  readonly type: LazyType;
  readonly default?: unknown;
}

/** Types may contain themselves (a JSON schema in a CRD), so they are made when they are first asked for. */
export type LazyType = () => ValueType;

/** Where the schema of metadata comes from for custom resources, which may not describe it themselves. */
export interface ObjectTypeOptions {
  readonly resolve: ResolveSchema;
  /** Schema of ObjectMeta: used for the metadata of custom resources and of resources embedded in them. */
  readonly objectMeta?: StructuralSchema;
}

const untypedAtomic: ValueType = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], items: () => untypedAtomic },
  map: { atomic: true, fields: new Map(), others: () => untypedAtomic, deduced: false },
};

/** The type of what no schema describes: maps are granular, lists are atomic. */
export const deducedType: ValueType = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], items: () => untypedAtomic },
  map: { atomic: false, fields: new Map(), others: () => deducedType, deduced: true },
};

const stringType: LazyType = () => ({ scalar: 'string' });

/** The type of the objects of one kind and version. */
export function objectType(schema: StructuralSchema, options: ObjectTypeOptions): ValueType {
  const types = new TypeBuilder(options);
  const root = types.typeOf(schema, false);
  if (options.objectMeta === undefined || root.map === undefined) return root;
  const fields = new Map(root.map.fields);
  types.addResourceFields(fields);
  return { map: { ...root.map, fields, deduced: false } };
}

const deduced: LazyType = () => deducedType;

/** OpenAPI v3 wraps a reference in an allOf of one where it wants to say more about the field. */
function referenceOf(schema: StructuralSchema): StructuralSchema | undefined {
  if (schema.$ref !== undefined) return schema;
  const [only, ...more] = schema.allOf ?? [];
  return only?.$ref !== undefined && more.length === 0 ? only : undefined;
}

function withMapType(type: ValueType, mapType: 'atomic' | 'granular' | undefined): ValueType {
  if (mapType === undefined) return type;
  const atomic = mapType === 'atomic';
  if (type.map) return { ...type, map: { ...type.map, atomic } };
  return type.list ? { ...type, list: { ...type.list, atomic } } : type;
}

/** A list without a list type is what its patch strategy makes of it, and atomic without one. */
function listRelation(schema: StructuralSchema): Pick<ListType, 'atomic' | 'keys'> {
  switch (schema['x-kubernetes-list-type']) {
    case 'map':
      return { atomic: false, keys: schema['x-kubernetes-list-map-keys'] ?? [] };
    case 'set':
      return { atomic: false, keys: [] };
    case 'atomic':
      return { atomic: true, keys: [] };
    default: {
      const merged = schema['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false;
      const key = schema['x-kubernetes-patch-merge-key'];
      return { atomic: !merged, keys: merged && key !== undefined ? [key] : [] };
    }
  }
}

/** Makes the types of one schema; those that have a name are made once. */
class TypeBuilder {
  readonly #named = new Map<string, ValueType>();
  readonly #options: ObjectTypeOptions;

  constructor(options: ObjectTypeOptions) {
    this.#options = options;
  }

  typeOf(schema: StructuralSchema, preserve: boolean): ValueType {
    const reference = referenceOf(schema);
    if (reference === undefined) return this.#inlineType(schema, preserve);
    const override = schema['x-kubernetes-map-type'];
    const cacheKey = `${override ?? ''} ${reference.$ref}`;
    const known = this.#named.get(cacheKey) ?? withMapType(this.#namedType(reference), override);
    this.#named.set(cacheKey, known);
    return known;
  }

  #namedType(reference: StructuralSchema): ValueType {
    // Two Go types whose JSON form says less than their name.
    if (reference.$ref?.endsWith('.api.resource.Quantity')) return { scalar: 'untyped' };
    if (reference.$ref?.endsWith('.runtime.RawExtension')) return untypedAtomic;
    return this.#inlineType(this.#options.resolve(reference), false);
  }

  #inlineType(schema: StructuralSchema, inherited: boolean): ValueType {
    const preserve = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
    switch (schema.type) {
      case 'object':
        return { map: this.#mapType(schema, preserve) };
      case 'array':
        return { list: this.#listType(schema, preserve) };
      case 'integer':
      case 'number':
        return { scalar: 'numeric' };
      case 'boolean':
        return { scalar: 'boolean' };
      case 'string':
        return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
      default:
        return { scalar: 'untyped', list: this.#listType(schema, preserve), map: this.#mapType(schema, preserve) };
    }
  }

  #lazy(schema: StructuralSchema, preserve: boolean): LazyType {
    let type: ValueType | undefined;
    return () => {
      type ??= this.typeOf(schema, preserve);
      return type;
    };
  }

  #mapType(schema: StructuralSchema, preserve: boolean): MapType {
    const properties = Object.entries(schema.properties ?? {});
    const fields = new Map<string, FieldType>(
      properties.map(([name, property]) => [name, { type: this.#lazy(property, preserve), default: property.default }]),
    );
    if (schema['x-kubernetes-embedded-resource'] === true) this.addResourceFields(fields);
    const others = this.#otherFields(schema, fields.size > 0, preserve);
    return {
      atomic: schema['x-kubernetes-map-type'] === 'atomic',
      fields,
      ...(others && { others }),
      deduced: fields.size === 0 && others === deduced,
    };
  }

  #otherFields(schema: StructuralSchema, hasFields: boolean, preserve: boolean): LazyType | undefined {
    const additional = schema.additionalProperties;
    if (typeof additional === 'object') return this.#lazy(additional, preserve);
    if (additional !== undefined) return additional ? deduced : undefined;
    return preserve || !hasFields ? deduced : undefined;
  }

  addResourceFields(fields: Map<string, FieldType>): void {
    fields.set('apiVersion', { type: stringType });
    fields.set('kind', { type: stringType });
    if (this.#options.objectMeta) fields.set('metadata', { type: this.#lazy(this.#options.objectMeta, false) });
  }

  #listType(schema: StructuralSchema, preserve: boolean): ListType {
    return {
      ...listRelation(schema),
      items: schema.items ? this.#lazy(schema.items, preserve) : () => untypedAtomic,
    };
  }
}
