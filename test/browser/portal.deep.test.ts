/** The portal in a browser. One file starts the service and the browser for all tests. */
import './portal-quality.ts';
import './portal-search.ts';
