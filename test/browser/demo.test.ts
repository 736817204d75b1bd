/** The demo in a browser. One file starts it for all flows: starting the demo takes longer than most of them. */
import './walk.ts';
import './demo-sign-in.ts';
import './demo-billing.ts';
