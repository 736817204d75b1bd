/** The demo in a browser. One file starts it for all flows: starting the demo takes longer than most of them. */
import './demo-sign-in.ts';
import './demo-account.ts';
import './demo-billing.ts';
