package io.tallystick.store.spi;

/**
 * Finds out whether the calling thread's stack has room for a whole change of a store, before anything is changed. A
 * stack that overflows within a commit would leave a lock held, a permit lost, or an append for which no thread cares.
 *
 * <p>Nothing in Java tells how much room is left, so this class takes the room for a moment. Each level of
 * {@link #take} has 512 variables that it does not use. An interpreted frame holds them all. A compiled frame holds
 * none. But when compiled code is entered, the virtual machine checks that the interpreted frames would fit: it looks
 * at one page. So the check costs a few nanoseconds once it is compiled, and covers
 *
 * <pre>
 *   4 levels * 512 variables * 16 bytes  = 32 KiB  interpreted, when classes are still to be loaded and linked
 *   2 levels, one inlined into the other = 16 KiB  compiled, when a commit takes about 4 KiB
 * </pre>
 */
public final class StackRoom {
    private static final int LEVELS = 4;

    private StackRoom() {}

    /**
     * Checks that the calling thread has room for a commit on its stack.
     *
     * @throws StackOverflowError it has not; nothing was changed
     */
    public static void check() {
        take(LEVELS - 1);
    }

    /**
     * Checks that the calling thread has several times as much room. Closing needs it, because it calls deeper than a
     * commit does. It also lets a check a few calls deeper find its own room.
     *
     * @param times how many times the room of a commit
     * @throws StackOverflowError it has not; nothing was changed
     */
    public static void check(int times) {
        take(times * LEVELS - 1);
    }

    private static int take(int levels) {
        // spotless:off
        long w000, w001, w002, w003, w004, w005, w006, w007, w008, w009, w010, w011, w012, w013, w014, w015,
            w016, w017, w018, w019, w020, w021, w022, w023, w024, w025, w026, w027, w028, w029, w030, w031,
            w032, w033, w034, w035, w036, w037, w038, w039, w040, w041, w042, w043, w044, w045, w046, w047,
            w048, w049, w050, w051, w052, w053, w054, w055, w056, w057, w058, w059, w060, w061, w062, w063,
            w064, w065, w066, w067, w068, w069, w070, w071, w072, w073, w074, w075, w076, w077, w078, w079,
            w080, w081, w082, w083, w084, w085, w086, w087, w088, w089, w090, w091, w092, w093, w094, w095,
            w096, w097, w098, w099, w100, w101, w102, w103, w104, w105, w106, w107, w108, w109, w110, w111,
            w112, w113, w114, w115, w116, w117, w118, w119, w120, w121, w122, w123, w124, w125, w126, w127,
            w128, w129, w130, w131, w132, w133, w134, w135, w136, w137, w138, w139, w140, w141, w142, w143,
            w144, w145, w146, w147, w148, w149, w150, w151, w152, w153, w154, w155, w156, w157, w158, w159,
            w160, w161, w162, w163, w164, w165, w166, w167, w168, w169, w170, w171, w172, w173, w174, w175,
            w176, w177, w178, w179, w180, w181, w182, w183, w184, w185, w186, w187, w188, w189, w190, w191,
            w192, w193, w194, w195, w196, w197, w198, w199, w200, w201, w202, w203, w204, w205, w206, w207,
            w208, w209, w210, w211, w212, w213, w214, w215, w216, w217, w218, w219, w220, w221, w222, w223,
            w224, w225, w226, w227, w228, w229, w230, w231, w232, w233, w234, w235, w236, w237, w238, w239,
            w240, w241, w242, w243, w244, w245, w246, w247, w248, w249, w250, w251, w252, w253, w254, w255,
            w256, w257, w258, w259, w260, w261, w262, w263, w264, w265, w266, w267, w268, w269, w270, w271,
            w272, w273, w274, w275, w276, w277, w278, w279, w280, w281, w282, w283, w284, w285, w286, w287,
            w288, w289, w290, w291, w292, w293, w294, w295, w296, w297, w298, w299, w300, w301, w302, w303,
            w304, w305, w306, w307, w308, w309, w310, w311, w312, w313, w314, w315, w316, w317, w318, w319,
            w320, w321, w322, w323, w324, w325, w326, w327, w328, w329, w330, w331, w332, w333, w334, w335,
            w336, w337, w338, w339, w340, w341, w342, w343, w344, w345, w346, w347, w348, w349, w350, w351,
            w352, w353, w354, w355, w356, w357, w358, w359, w360, w361, w362, w363, w364, w365, w366, w367,
            w368, w369, w370, w371, w372, w373, w374, w375, w376, w377, w378, w379, w380, w381, w382, w383,
            w384, w385, w386, w387, w388, w389, w390, w391, w392, w393, w394, w395, w396, w397, w398, w399,
            w400, w401, w402, w403, w404, w405, w406, w407, w408, w409, w410, w411, w412, w413, w414, w415,
            w416, w417, w418, w419, w420, w421, w422, w423, w424, w425, w426, w427, w428, w429, w430, w431,
            w432, w433, w434, w435, w436, w437, w438, w439, w440, w441, w442, w443, w444, w445, w446, w447,
            w448, w449, w450, w451, w452, w453, w454, w455, w456, w457, w458, w459, w460, w461, w462, w463,
            w464, w465, w466, w467, w468, w469, w470, w471, w472, w473, w474, w475, w476, w477, w478, w479,
            w480, w481, w482, w483, w484, w485, w486, w487, w488, w489, w490, w491, w492, w493, w494, w495,
            w496, w497, w498, w499, w500, w501, w502, w503, w504, w505, w506, w507, w508, w509, w510, w511;
        // spotless:on
        return levels == 0 ? 0 : 1 + take(levels - 1);
    }
}
