import { type AddOnDeploymentConfig, addOnDeploymentConfigs } from '@flotilla/api-types';
import type { CustomResourceDefinition } from '@flotilla/kube/kinds';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** A kind of configuration objects that an add-on takes. */
export interface ConfigDeclaration<T extends KubeObject = KubeObject, Many extends boolean = boolean> {
  readonly type: ResourceType<T>;
  /** Whether `render` is given all objects of this kind that a cluster references, or the first one. */
  readonly many: Many;
  /** Of a kind that comes with the add-on: it is installed on a hub before the add-on is. Default: the hub serves the kind already. */
  readonly definition?: CustomResourceDefinition;
}

/** How a kind of configuration is taken. */
interface ConfigOptions<Many extends boolean = boolean> {
  /** Default: false. */
  readonly many?: Many;
  readonly definition?: CustomResourceDefinition;
}

/** The kinds by the names that `render` uses for them. */
export type ConfigDeclarations = Readonly<Record<string, ConfigDeclaration>>;

/** What `render` is given for a declaration: the object, undefined if the cluster references none, or a list. */
export type ResolvedConfig<D extends ConfigDeclaration> =
  D extends ConfigDeclaration<infer T, infer Many> ? OneOrMany<T, Many> : never;

type OneOrMany<T, Many extends boolean> = Many extends true ? readonly T[] : T | undefined;

/** The configuration objects of one cluster. */
export type ResolvedConfigs<C extends ConfigDeclarations = ConfigDeclarations> = {
  readonly [Name in keyof C]: ResolvedConfig<C[Name]>;
};

function of<T extends KubeObject>(
  type: ResourceType<T>,
  options: ConfigOptions<true> & { readonly many: true },
): ConfigDeclaration<T, true>;
function of<T extends KubeObject>(type: ResourceType<T>, options?: ConfigOptions<false>): ConfigDeclaration<T, false>;
function of<T extends KubeObject>(
  type: ResourceType<T>,
  { many = false, definition }: ConfigOptions = {},
): ConfigDeclaration<T> {
  return { type, many, ...(definition && { definition }) };
}

/** Declares the kinds of configuration that an add-on takes. */
export const config = {
  /** An AddOnDeploymentConfig: variables, node placement, registries, proxy, install namespace, resources. */
  deployment: (): ConfigDeclaration<AddOnDeploymentConfig, false> => of(addOnDeploymentConfigs),
  /**
   * Any kind. With `many`, all objects of it that the cluster references are given, in their order. `definition` is the
   * CustomResourceDefinition of a kind of your own.
   */
  of,
};
