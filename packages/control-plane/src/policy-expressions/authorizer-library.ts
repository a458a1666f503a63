import { type CelLibrary, celFailure } from '@flotilla/rules/cel';
import { isDnsLabel, isDnsSubdomain } from '@flotilla/schema';
import { type AdmissionRequest, namespaceOf } from '../contracts/admission.ts';
import type { Attributes, Authorizer, Decision } from '../contracts/authorizer.ts';
import type { ResourceInfo } from '../contracts/resource-info.ts';
import { serviceAccountGroups, serviceAccountUser } from '../contracts/service-account-name.ts';
import type { UserInfo } from '../contracts/user-info.ts';

const prefix = 'kubernetes.authorization';

/** The type of the variable `authorizer`. */
export const authorizerType = `${prefix}.Authorizer`;

/** The cost of a check: the budget of one expression allows two. */
const costOfCheck = 350_000;

type ResourceAttributes = Omit<Extract<Attributes, { kind: 'resource' }>, 'verb'>;

// What these values hold is private: expressions read the public fields of values, which also count for the cost.

/** Asks on behalf of a user. */
class AuthorizerValue {
  readonly #authorizer: Authorizer;
  readonly #user: UserInfo;
  /** About what the request itself is about. */
  readonly requestResource: ResourceCheck | undefined;

  constructor(authorizer: Authorizer, user: UserInfo, requested?: ResourceAttributes) {
    this.#authorizer = authorizer;
    this.#user = user;
    this.requestResource = requested && new ResourceCheck(this, requested);
  }

  serviceAccount(namespace: string, name: string): AuthorizerValue {
    if (!isDnsSubdomain(name)) throw celFailure('Invalid service account name');
    if (!isDnsLabel(namespace)) throw celFailure('Invalid service account namespace');
    const groups = serviceAccountGroups(namespace);
    return new AuthorizerValue(this.#authorizer, { name: serviceAccountUser(namespace, name), groups });
  }

  check(attributes: Attributes): AccessDecision {
    return new AccessDecision(this.#authorizer.authorize(this.#user, attributes));
  }
}

class PathCheck {
  readonly #asker: AuthorizerValue;
  readonly #path: string;

  constructor(asker: AuthorizerValue, path: string) {
    this.#asker = asker;
    this.#path = path;
  }

  check(verb: string): AccessDecision {
    return this.#asker.check({ kind: 'path', path: this.#path, verb });
  }
}

class GroupCheck {
  readonly #asker: AuthorizerValue;
  readonly #group: string;

  constructor(asker: AuthorizerValue, group: string) {
    this.#asker = asker;
    this.#group = group;
  }

  resource(resource: string): ResourceCheck {
    return new ResourceCheck(this.#asker, { kind: 'resource', group: this.#group, version: '*', resource });
  }
}

class ResourceCheck {
  readonly #asker: AuthorizerValue;
  readonly #attributes: ResourceAttributes;

  constructor(asker: AuthorizerValue, attributes: ResourceAttributes) {
    this.#asker = asker;
    this.#attributes = attributes;
  }

  with(fields: Partial<ResourceAttributes>): ResourceCheck {
    return new ResourceCheck(this.#asker, { ...this.#attributes, ...fields });
  }

  check(verb: string): AccessDecision {
    return this.#asker.check({ ...this.#attributes, verb });
  }
}

class AccessDecision {
  readonly #decision: Decision;

  constructor(decision: Decision) {
    this.#decision = decision;
  }

  get allowed(): boolean {
    return this.#decision.allowed;
  }

  get reason(): string {
    return this.#decision.reason;
  }
}

/** The variable `authorizer` of a request. */
export const authorizerOf = (
  authorizer: Authorizer,
  info: ResourceInfo,
  request: AdmissionRequest,
): AuthorizerValue => {
  const { subresource, name, user } = request;
  const namespace = namespaceOf(request);
  return new AuthorizerValue(authorizer, user, {
    kind: 'resource',
    group: info.group,
    version: '*',
    resource: info.plural,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
  });
};

const required = (text: string, what: string): string => {
  if (text.trim() === '') throw celFailure(`${what} must not be empty`);
  return text;
};

/** Kubernetes' functions on `authorizer`, by which policies ask what the requester may do. */
export const registerAuthorizer: CelLibrary = (environment, charge) => {
  const [path, group, resource, decision] = ['PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `${prefix}.${name}`,
  );
  const checked = (check: PathCheck | ResourceCheck, verb: string): AccessDecision => {
    charge(costOfCheck);
    return check.check(verb);
  };
  environment
    .registerType(`${path}`, PathCheck)
    .registerType(`${group}`, GroupCheck)
    .registerType(`${resource}`, ResourceCheck)
    .registerType(`${decision}`, AccessDecision)
    .registerType(authorizerType, { ctor: AuthorizerValue, fields: { requestResource: `${resource}` } })
    .registerFunction(
      `${authorizerType}.path(string): ${path}`,
      (asker: AuthorizerValue, text: string) => new PathCheck(asker, required(text, 'path')),
    )
    .registerFunction(
      `${authorizerType}.group(string): ${group}`,
      (asker: AuthorizerValue, text: string) => new GroupCheck(asker, text),
    )
    .registerFunction(
      `${authorizerType}.serviceAccount(string, string): ${authorizerType}`,
      (asker: AuthorizerValue, namespace: string, name: string) => asker.serviceAccount(namespace, name),
    )
    .registerFunction(`${group}.resource(string): ${resource}`, (check: GroupCheck, text: string) =>
      check.resource(required(text, 'resource')),
    )
    .registerFunction(`${resource}.subresource(string): ${resource}`, (check: ResourceCheck, subresource: string) =>
      check.with({ subresource }),
    )
    .registerFunction(`${resource}.namespace(string): ${resource}`, (check: ResourceCheck, namespace: string) =>
      check.with({ namespace }),
    )
    .registerFunction(`${resource}.name(string): ${resource}`, (check: ResourceCheck, name: string) =>
      check.with({ name }),
    )
    // Roles know no selectors, so that nothing depends on them.
    .registerFunction(`${resource}.fieldSelector(string): ${resource}`, (check: ResourceCheck) => check)
    .registerFunction(`${resource}.labelSelector(string): ${resource}`, (check: ResourceCheck) => check)
    .registerFunction(`${path}.check(string): ${decision}`, checked)
    .registerFunction(`${resource}.check(string): ${decision}`, checked)
    .registerFunction(`${decision}.allowed(): bool`, ({ allowed }: AccessDecision) => allowed)
    .registerFunction(`${decision}.reason(): string`, ({ reason }: AccessDecision) => reason)
    .registerFunction(`${decision}.errored(): bool`, () => false)
    .registerFunction(`${decision}.error(): string`, () => '');
};
