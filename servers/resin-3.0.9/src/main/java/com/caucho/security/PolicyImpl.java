package com.caucho.security;

import java.security.Policy;

/**
 * Stands before the class of the same name in Resin's jar, which sets the JVM's security policy: newer JVMs have
 * none, and refuse. A Policy all the same, for other classes of Resin take it for one.
 */
public final class PolicyImpl extends Policy {
    private PolicyImpl() {
    }

    /** Called when Resin starts. */
    public static void init() {
        // No policy to set.
    }
}
