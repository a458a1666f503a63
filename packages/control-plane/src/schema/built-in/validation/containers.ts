import type { Field } from '../../field.ts';
import {
  configKey,
  dnsLabel,
  dnsSubdomain,
  envVarName,
  isPortNumber,
  portName,
  portNumberSentence,
  qualifiedName,
} from '../../names.ts';
import { validateProbe } from './probes.ts';
import { validateResources } from './resources.ts';

const protocols = ['SCTP', 'TCP', 'UDP'];
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const messagePolicies = ['File', 'FallbackToLogsOnError'];
const probeNames = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const onlySidecars = 'may not be set for init containers without restartPolicy=Always';

/** The containers of a pod and its init containers; `volumes` are the names that mounts may use. */
export function validateContainers(spec: Field, volumes: ReadonlySet<string>): void {
  const containers = spec.at('containers');
  if (containers.list.length === 0) containers.required();
  const names = new Set<string>();
  for (const container of containers.items()) {
    validateContainer(container, volumes);
    validateUnique(container, names);
    validateHooks(container);
  }
  for (const container of spec.at('initContainers').items()) {
    validateContainer(container, volumes);
    const restarts = container.at('restartPolicy');
    if (restarts.present) restarts.oneOf(['Always', 'Never', 'OnFailure']);
    validateUnique(container, names);
    if (restarts.text === 'Always') validateHooks(container);
    else {
      for (const name of ['lifecycle', ...probeNames]) {
        if (container.at(name).present) container.at(name).forbidden(onlySidecars);
      }
    }
  }
}

function validateUnique(container: Field, names: Set<string>): void {
  const name = container.at('name');
  if (names.has(name.text)) name.duplicate(name.text);
  else names.add(name.text);
}

function validateHooks(container: Field): void {
  const lifecycle = container.at('lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    if (lifecycle.at(hook).present) validateProbe(lifecycle.at(hook), 'hook');
  }
  for (const name of probeNames) if (container.at(name).present) validateProbe(container.at(name), name);
}

function validateContainer(container: Field, volumes: ReadonlySet<string>): void {
  const name = container.at('name');
  if (name.text === '') name.required();
  else name.check(dnsLabel);
  if (container.at('image').text === '') container.at('image').required();
  container.at('terminationMessagePolicy').oneOf(messagePolicies);
  validatePorts(container.at('ports'));
  for (const variable of container.at('env').items()) validateVariable(variable);
  for (const source of container.at('envFrom').items()) validateVariables(source, container.at('envFrom'));
  validateMounts(container.at('volumeMounts'), volumes);
  container.at('imagePullPolicy').oneOf(pullPolicies);
  validateResources(container.at('resources'));
  validateSecurityContext(container.at('securityContext'));
}

function validatePorts(ports: Field): void {
  const names = new Set<string>();
  for (const port of ports.items()) {
    const name = port.at('name');
    if (name.text !== '') {
      if (portName(name.text).length > 0) name.check(portName);
      else if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    const number = port.at('containerPort');
    if (number.number === 0) number.required();
    else if (!isPortNumber(number.number)) number.invalid(portNumberSentence);
    const host = port.at('hostPort');
    if (host.number !== 0 && !isPortNumber(host.number)) host.invalid(portNumberSentence);
    port.at('protocol').oneOf(protocols);
  }
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function validateVariable(variable: Field): void {
  const name = variable.at('name');
  if (name.text === '') name.required();
  else name.check(envVarName);
  const from = variable.at('valueFrom');
  if (!from.present) return;
  const given = sources.filter((source) => from.at(source).present);
  for (const source of ['configMapKeyRef', 'secretKeyRef']) {
    const reference = from.at(source);
    if (!reference.present) continue;
    reference.at('name').check(dnsSubdomain);
    const key = reference.at('key');
    if (key.text === '') key.required();
    else key.check(configKey);
  }
  const field = from.at('fieldRef');
  if (field.present) validateFieldReference(field);
  const resource = from.at('resourceFieldRef').at('resource');
  if (from.at('resourceFieldRef').present && resource.text === '') resource.required();
  if (given.length === 0) {
    from.invalid(
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      '',
    );
  } else if (variable.at('value').text !== '') from.invalid('may not be specified when `value` is not empty', '');
  else if (given.length > 1) from.invalid('may not have more than one field specified at a time', '');
}

const variablePaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

function validateFieldReference(field: Field): void {
  const path = field.at('fieldPath');
  if (path.text === '') path.required();
  else if (!variablePaths.includes(path.text) && !/^metadata\.(annotations|labels)\['.+'\]$/.test(path.text)) {
    path.invalid(`error converting fieldPath: field label not supported: ${path.text}`);
  }
}

function validateVariables(source: Field, all: Field): void {
  const given = ['configMapRef', 'secretRef'].filter((name) => source.at(name).present);
  const prefix = source.at('prefix');
  if (prefix.text !== '') prefix.check(envVarName);
  for (const name of given) {
    const reference = source.at(name).at('name');
    if (reference.text === '') reference.required();
  }
  if (given.length === 0) all.invalid('must specify one of: `configMapRef` or `secretRef`', '');
  else if (given.length > 1) all.invalid('may not have more than one field specified at a time', '');
}

function validateMounts(mounts: Field, volumes: ReadonlySet<string>): void {
  const paths = new Set<string>();
  for (const mount of mounts.items()) {
    const name = mount.at('name');
    if (name.text === '') name.required();
    if (!volumes.has(name.text)) name.with(name.text).notFound();
    const path = mount.at('mountPath');
    if (path.text === '') path.required();
    if (paths.has(path.text)) path.invalid('must be unique', path.text);
    paths.add(path.text);
    const sub = mounts.at('subPath').with(mount.at('subPath').text);
    if (sub.text.startsWith('/')) sub.invalid('must be a relative path');
    if (sub.text.split('/').includes('..')) sub.invalid("must not contain '..'");
    const propagation = mount.at('mountPropagation');
    if (propagation.present) propagation.oneOf(['Bidirectional', 'HostToContainer', 'None']);
  }
}

const largestId = 2 ** 31 - 1;

/** Ids and capabilities of a container or a pod. */
export function validateSecurityContext(context: Field): void {
  if (!context.present) return;
  for (const name of ['runAsUser', 'runAsGroup', 'fsGroup']) {
    const id = context.at(name);
    if (id.present && (id.number < 0 || id.number > largestId)) {
      id.invalid(`must be between 0 and ${largestId}, inclusive`);
    }
  }
  for (const group of context.at('supplementalGroups').items()) {
    if (group.number < 0 || group.number > largestId) group.invalid(`must be between 0 and ${largestId}, inclusive`);
  }
  const seccomp = context.at('seccompProfile');
  if (seccomp.present) {
    const type = seccomp.at('type');
    type.oneOf(['Localhost', 'RuntimeDefault', 'Unconfined']);
    const profile = seccomp.at('localhostProfile');
    if (type.text === 'Localhost' && !profile.present) profile.required('must be set when seccomp type is Localhost');
    else if (type.text !== 'Localhost' && profile.present) {
      profile.invalid('can only be set when seccomp type is Localhost');
    }
  }
  const capabilities = context.at('capabilities').at('add').list;
  if (context.at('allowPrivilegeEscalation').value === false) {
    if (context.at('privileged').flag) {
      context.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
    }
    if (capabilities.includes('CAP_SYS_ADMIN')) {
      context.invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
    }
  }
  for (const sysctl of context.at('sysctls').items()) {
    if (sysctl.at('name').text === '') sysctl.at('name').required();
  }
}

/** Names of conditions that a pod waits for, and of gates that keep it from being scheduled. */
export function validateGates(spec: Field): void {
  for (const gate of spec.at('readinessGates').items()) gate.at('conditionType').check(qualifiedName);
  const names = new Set<string>();
  for (const gate of spec.at('schedulingGates').items()) {
    const name = gate.at('name');
    name.check(qualifiedName);
    if (names.has(name.text)) gate.duplicate(name.text);
    names.add(name.text);
  }
}
