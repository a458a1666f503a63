import { get, post, type Scenario } from '../scenario.ts';

export const discovery: readonly Scenario[] = [
  {
    name: 'discovery: documents and health',
    steps: [
      get('/healthz'),
      get('/livez'),
      get('/readyz'),
      get('/healthz/ping'),
      get('/apis/coordination.k8s.io'),
      get('/apis/coordination.k8s.io/v1'),
      get('/apis/rbac.authorization.k8s.io/v1'),
      get('/apis/batch/v1'),
      get('/apis/none.example'),
      get('/apis/none.example/v1'),
      get('/api'),
      get('/openapi/v3/apis/none.example/v1'),
      post('/version', {}),
      post('/api/v1', {}),
      post('/apis', {}, { differs: { id: 'fewer-groups', at: ['body.groups'] } }),
    ],
  },
];
