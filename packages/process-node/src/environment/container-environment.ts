import type { ConfigMap, Container, EnvVar, Pod, Secret } from '@flotilla/kube/kinds';
import { expand } from './expand.ts';
import { type PodPlacement, podField, resourceField } from './pod-fields.ts';
import { whyRefused } from './refused-variables.ts';

/** Reads what a container refers to; undefined if it is not there. */
export interface ReferencedValues {
  secret(name: string): Secret | undefined;
  configMap(name: string): ConfigMap | undefined;
}

/** What makes the variables of a container. */
export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly placement: PodPlacement;
  readonly values: ReferencedValues;
  /** Variables that the container may set although they choose which code it runs. */
  readonly allowedVariables?: readonly string[];
  /** Variables that every container of the node has; the container's own come after them. */
  readonly base: Readonly<Record<string, string>>;
}

/** A container that cannot be created as it is configured: reported as CreateContainerConfigError until that changes. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

/** The variables of a container, in the order in which Kubernetes adds them. */
export function containerEnvironment(input: EnvironmentInput): Record<string, string> {
  const variables: Record<string, string> = { ...input.base };
  for (const source of input.container.envFrom ?? []) {
    const { prefix = '', configMapRef, secretRef } = source;
    const data = configMapRef
      ? dataOf(input, 'configmap', configMapRef.name ?? '', configMapRef.optional)
      : dataOf(input, 'secret', secretRef?.name ?? '', secretRef?.optional);
    for (const [key, value] of Object.entries(data)) {
      expectAllowed(input, `${prefix}${key}`);
      variables[`${prefix}${key}`] = value;
    }
  }
  for (const variable of input.container.env ?? []) {
    expectAllowed(input, variable.name);
    const value = variableValue(input, variable, variables);
    if (value !== undefined) variables[variable.name] = value;
  }
  return variables;
}

function expectAllowed({ allowedVariables }: EnvironmentInput, name: string): void {
  const why = whyRefused(name, allowedVariables);
  if (why) throw new ContainerConfigError(why);
}

function variableValue(input: EnvironmentInput, variable: EnvVar, before: Record<string, string>): string | undefined {
  const { value, valueFrom } = variable;
  if (!valueFrom) return expand(value ?? '', before);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef) {
    const field = podField(input.pod, fieldRef.fieldPath, input.placement);
    if (field !== undefined) return field;
    throw new ContainerConfigError(`env ${variable.name}: field "${fieldRef.fieldPath}" cannot be referenced`);
  }
  if (resourceFieldRef) {
    const amount = resourceField(input.container, resourceFieldRef, input.placement);
    if (amount !== undefined) return amount;
    throw new ContainerConfigError(`env ${variable.name}: resource "${resourceFieldRef.resource}" is not known`);
  }
  if (configMapKeyRef) return keyOf(input, 'configmap', configMapKeyRef);
  if (secretKeyRef) return keyOf(input, 'secret', secretKeyRef);
  throw new ContainerConfigError(`env ${variable.name}: this kind of valueFrom is not supported by the process node`);
}

function keyOf(
  input: EnvironmentInput,
  kind: 'configmap' | 'secret',
  { name = '', key, optional }: { name?: string; key: string; optional?: boolean },
): string | undefined {
  const data = dataOf(input, kind, name, optional);
  if (Object.hasOwn(data, key)) return data[key];
  if (optional) return undefined;
  const where = `${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${input.pod.metadata?.namespace}/${name}`;
  throw new ContainerConfigError(`couldn't find key ${key} in ${where}`);
}

function dataOf(
  { values }: EnvironmentInput,
  kind: 'configmap' | 'secret',
  name: string,
  optional = false,
): Readonly<Record<string, string>> {
  const found = kind === 'secret' ? values.secret(name) : values.configMap(name);
  if (!found && !optional) throw new ContainerConfigError(`${kind} "${name}" not found`);
  if (kind === 'configmap') return found?.data ?? {};
  const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8');
  return Object.fromEntries(Object.entries(found?.data ?? {}).map(([key, text]) => [key, decode(text)]));
}
