import { type Cel, type CelObjectType, createCel } from '@flotilla/rules/cel';
import { authorizerType, registerAuthorizer } from './authorizer-library.ts';

/** What an expression of a policy may speak of besides the object, the request and the namespace. */
export interface ExpressionScope {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** The type of the objects; any if it is not known. */
  readonly object?: string | CelObjectType;
  /** The variables of the policy so far, and their types. */
  readonly variables?: Readonly<Record<string, string>>;
}

const kind: CelObjectType = { group: 'string', version: 'string', kind: 'string' };
const resource: CelObjectType = { group: 'string', version: 'string', resource: 'string' };

const requestType: CelObjectType = {
  kind,
  resource,
  subResource: 'string',
  requestKind: kind,
  requestResource: resource,
  requestSubResource: 'string',
  name: 'string',
  namespace: 'string',
  operation: 'string',
  userInfo: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
  dryRun: 'bool',
  options: 'dyn',
};

/** Checks expressions before a policy is stored: names, fields of the request, and the types of what is known. */
export function createExpressionChecker({ params, authorizer, object = 'dyn', variables }: ExpressionScope): Cel {
  return createCel({
    register: registerAuthorizer,
    variables: {
      object,
      oldObject: object,
      namespaceObject: 'dyn',
      request: requestType,
      ...(params && { params: 'dyn' }),
      ...(authorizer && { authorizer: authorizerType }),
      ...(variables && { variables }),
    },
  });
}

/** Compiles expressions to run them. They were checked before they were stored, so any name is known here. */
export const createExpressionRunner = (): Cel =>
  createCel({
    register: registerAuthorizer,
    lateChecks: true,
    variables: {
      object: 'dyn',
      oldObject: 'dyn',
      namespaceObject: 'dyn',
      request: 'dyn',
      params: 'dyn',
      authorizer: 'dyn',
      variables: 'dyn',
    },
  });
