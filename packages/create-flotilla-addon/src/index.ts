/** Makes projects for add-ons. */
export { type CreatedProject, type CreateProjectOptions, createProject } from './create-project.ts';
export { ProjectError } from './project-error.ts';
